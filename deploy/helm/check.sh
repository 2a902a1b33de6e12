#!/usr/bin/env bash
# Renders the chart with its defaults and with each file of deploy/helm/values, strictly, and has the API
# server of the current context check every object without storing any (dry run). Kinds that the
# cluster does not know are named; their definitions may be added first: CRDS=folder deploy/helm/check.sh
set -euo pipefail
cd "$(dirname "$0")"
namespace=${CHECK_NAMESPACE:-tollgate-check}
failed=0
kubectl get namespace "$namespace" > /dev/null 2>&1 || kubectl create namespace "$namespace" > /dev/null
if [ -n "${CRDS:-}" ]; then
  kubectl apply --server-side --filename "$CRDS" > /dev/null
  kubectl wait --for=condition=Established --timeout=60s --filename "$CRDS" > /dev/null
fi
printf '%-24s %-6s %-8s %s\n' values lint objects 'API server'
for file in values/*.yaml; do
  lint=ok
  helm lint --strict --quiet tollgate --values "$file" > /dev/null || { lint=FAILED; failed=1; }
  rendered=$(helm template tollgate tollgate --namespace "$namespace" --values "$file")
  objects=$(grep -c '^kind: ' <<< "$rendered")
  if said=$(kubectl apply --dry-run=server --namespace "$namespace" --filename - <<< "$rendered" 2>&1); then
    answer="accepts $(grep -c 'dry run' <<< "$said")"
  else
    unknown=$(sed -n 's/.*no matches for kind "\([A-Za-z]*\)".*/\1/p' <<< "$said" | sort -u | paste -sd, -)
    errors=$(grep -viE 'dry run|no matches for kind|ensure CRDs' <<< "$said" || true)
    answer="accepts $(grep -c 'dry run' <<< "$said"), does not know: ${unknown:-nothing}"
    if [ -n "$errors" ] || [ -z "$unknown" ]; then answer="REFUSES: $errors"; failed=1; fi
  fi
  warnings=$(grep -i '^warning' <<< "$said" || true)
  printf '%-24s %-6s %-8s %s\n' "$(basename "$file")" "$lint" "$objects" "$answer"
  [ -z "$warnings" ] || echo "$warnings"
done
kubectl delete namespace "$namespace" --wait=false > /dev/null
exit "$failed"
