# Gives the buffer's quota to training, or takes it back and drains what runs on it. Safe to run twice, and again after it was cut short.
#
# OPENS       true or false
# COHORT      cohort that holds the buffer's quota and nothing else
# QUOTA       resource groups that it gets, as JSON
# NAMESPACES  namespaces of the teams
# FLAVORS     flavors of the buffer, each in quotes
# MARK        annotation of workloads that are on their way back to their queue
# TIMEOUT     seconds that pods may take to end
set -eu

# Prints names of the workloads of a namespace that hold quota of the buffer and have not finished.
on_buffer() {
  kubectl get workloads.kueue.x-k8s.io --namespace "$1" --output go-template='
    {{- range .items}}{{$name := .metadata.name}}{{$on := false}}
    {{- with .status}}
      {{- with .admission}}{{range .podSetAssignments}}{{range .flavors}}{{if eq . '"$FLAVORS"'}}{{$on = true}}{{end}}{{end}}{{end}}{{end}}
      {{- range .conditions}}{{if and (eq .type "Finished") (eq .status "True")}}{{$on = false}}{{end}}{{end}}
    {{- end}}
    {{- if $on}}{{$name}}{{"\n"}}{{end}}{{end}}'
}

# Prints names of the workloads of a namespace that were sent away and are not back in their queue.
sent_away() {
  kubectl get workloads.kueue.x-k8s.io --namespace "$1" --output go-template='
    {{- range .items}}{{if .metadata.annotations}}{{if index .metadata.annotations "'"$MARK"'"}}{{.metadata.name}}{{"\n"}}{{end}}{{end}}{{end}}'
}

# A job that ended meanwhile took its workload with it: there is nothing left to do then.
is_gone() {
  error=$(kubectl get workloads.kueue.x-k8s.io "$2" --namespace "$1" 2>&1 >/dev/null) || case $error in *NotFound*) return 0 ;; esac
  return 1
}

change() {
  kubectl patch workloads.kueue.x-k8s.io "$2" --namespace "$1" --type merge --patch "$3" || is_gone "$1" "$2"
}

# Kueue ends the pods of a workload that is not active, with their own grace period, and keeps its quota until they are gone.
# Lists go through a variable: the shell does not stop at a failure inside `for`, and no list is not an empty list.
send_away() {
  for namespace in $NAMESPACES; do
    found=$(on_buffer "$namespace")
    for workload in $found; do
      change "$namespace" "$workload" '{"metadata":{"annotations":{"'"$MARK"'":"true"}},"spec":{"active":false}}'
    done
  done
}

bring_back() {
  for namespace in $NAMESPACES; do
    found=$(sent_away "$namespace")
    for workload in $found; do
      if kubectl wait workloads.kueue.x-k8s.io "$workload" --namespace "$namespace" \
        --for condition=QuotaReserved=False --timeout "${TIMEOUT}s"; then
        change "$namespace" "$workload" '{"metadata":{"annotations":{"'"$MARK"'":null}},"spec":{"active":true}}'
      fi
    done
  done
}

kubectl patch cohorts.kueue.x-k8s.io "$COHORT" --type merge --patch '{"spec":{"resourceGroups":'"$QUOTA"'}}'
if [ "$OPENS" = true ]; then
  bring_back
  exit 0
fi
# Twice: what Kueue was admitting while the quota went is seen only the second time.
send_away
bring_back
send_away
bring_back

for namespace in $NAMESPACES; do
  found=$(on_buffer "$namespace")$(sent_away "$namespace")
  if [ -n "$found" ]; then
    echo "Workloads of $namespace have not left the buffer yet, so this is tried again: $found" >&2
    exit 1
  fi
done
