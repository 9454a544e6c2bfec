"""The lab's Kubernetes: a real control plane, Kueue and JobSet as plain processes, and nodes made from the declared pools."""
