import { isDigit, isLetter, type Hit } from '../../finder';

const AT = 64;
const DOT = 46;
const SLASH = 47;
const LOCAL_CHARACTERS = 64;
const DOMAIN_CHARACTERS = 255;
const DOMAIN =
  /(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,32}[A-Za-z]{2,24}(?![A-Za-z0-9-])/y;

/** Addresses; each is found from its @, which is rare. */
export function findEmails(text: string, rule: number, found: Hit[]): void {
  let after = 0;
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const start = localStart(text, at, after);
    if (start === at) continue;
    DOMAIN.lastIndex = at + 1;
    const domain = DOMAIN.exec(text)?.[0];
    if (domain === undefined || domain.length > DOMAIN_CHARACTERS) continue;
    const end = at + 1 + domain.length;
    // git@example.com:team/project is the address of a repository.
    if (text.charCodeAt(end) === 58 && /^:[\w~./-]/.test(text.slice(end, end + 2))) continue;
    found.push({ start, end, label: 'EMAIL', rule });
    after = end;
    at = end - 1;
  }
}

/** Where an unfinished address at the end begins; the text's length: there is none. */
export function openEmail(text: string): number {
  const { length } = text;
  const least = Math.max(0, length - LOCAL_CHARACTERS - DOMAIN_CHARACTERS);
  let start = length;
  let seen = false;
  while (start > least) {
    const code = text.charCodeAt(start - 1);
    if (code === AT && !seen) seen = true;
    else if (!isLocal(code)) break;
    start -= 1;
  }
  // Before the @ nothing longer than a local part can become an address.
  return seen || length - start <= LOCAL_CHARACTERS ? start : length;
}

/** Where the part before the @ begins; `at`: there is none. */
function localStart(text: string, at: number, after: number): number {
  const least = Math.max(after, at - LOCAL_CHARACTERS);
  let start = at;
  while (start > least && isLocal(text.charCodeAt(start - 1))) start -= 1;
  const before = start > after ? text.charCodeAt(start - 1) : 0;
  // Too long, or a part of a path or of a URL.
  if (isLocal(before) || before === SLASH || text.charCodeAt(at - 1) === DOT) return at;
  while (start < at && !isAlphanumeric(text.charCodeAt(start))) start += 1;
  return start;
}

function isLocal(code: number): boolean {
  return (
    isAlphanumeric(code) || code === DOT || code === 95 || code === 37 || code === 43 || code === 45
  );
}

function isAlphanumeric(code: number): boolean {
  return isLetter(code) || isDigit(code) || (code >= 0xc0 && code <= 0x24f);
}
