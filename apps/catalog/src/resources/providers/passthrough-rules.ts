import { formatUsd, type PassthroughRule, type rest } from '@tollgate/contracts';

/** A stored rule as the REST API shows it. */
export function shownRule(rule: PassthroughRule): rest.PassthroughRule {
  const { callNanoUsd, requestMegabyteNanoUsd, responseMegabyteNanoUsd } = rule;
  return {
    method: rule.method as rest.PassthroughRule['method'],
    path: rule.path,
    callPriceUsd: formatUsd(BigInt(callNanoUsd)),
    requestMegabytePriceUsd: formatUsd(BigInt(requestMegabyteNanoUsd)),
    responseMegabytePriceUsd: formatUsd(BigInt(responseMegabyteNanoUsd)),
    maxRequestBytes: rule.maxRequestBytes,
    maxResponseBytes: rule.maxResponseBytes,
  };
}
