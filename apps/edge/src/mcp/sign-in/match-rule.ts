// Which API key a token stands for. Pure.

import type { SignInRule } from './sign-ins';

export type Claims = Readonly<Record<string, unknown>>;

/** The first rule that matches; undefined: none. */
export function matchRule(rules: readonly SignInRule[], claims: Claims): SignInRule | undefined {
  return rules.find((rule) => matches(rule, claims));
}

function matches({ claim, value }: SignInRule, claims: Claims): boolean {
  // Whoever types an address at the provider is not yet its owner.
  if (claim === 'email' && claims['email_verified'] !== true) return false;
  const found = valueAt(claims, claim);
  const values = (Array.isArray(found) ? found : [found]).flatMap(plainText);
  return value === '*' ? values.length > 0 : values.includes(value);
}

function plainText(value: unknown): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}

/** A claim by its whole name, which may contain dots, or by a path such as `realm_access.roles`. */
function valueAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  let value: unknown = claims;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Claims)[name];
  }
  return value;
}
