import { isIP } from 'node:net';

import type { Hit } from '../../finder';

const CANDIDATE =
  /(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})(?![\w:]|\.\d)/g;
const UNFINISHED = /(?<![\w.:])[0-9A-Fa-f:.]{1,45}$/;

/** Addresses of version 4 and 6, but for the unspecified ones and those of this machine. */
export function findIpAddresses(text: string, rule: number, found: Hit[]): void {
  for (const { 0: shown, index } of text.matchAll(CANDIDATE)) {
    if (isIP(shown) === 0 || /^(?:0\.0\.0\.0|127\.|::1?$|255\.)/.test(shown)) continue;
    found.push({ start: index, end: index + shown.length, label: 'IP_ADDRESS', rule });
  }
}

export function openIpAddress(text: string): number {
  const from = Math.max(0, text.length - 48);
  const at = text.slice(from).search(UNFINISHED);
  return at < 0 ? text.length : from + at;
}
