"""The lint: manifests of training repositories judged before they reach a cluster. Pure, but for `files`, which reads them.

Text becomes documents (`composing`), values (`values`) and objects (`objects`); `linting` asks the workload rules and the lint's own ones;
what is not understood on the way is a finding like any other.
"""
