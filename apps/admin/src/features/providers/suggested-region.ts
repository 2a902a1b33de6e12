import { regionName } from '@tollgate/contracts';

/** Hosts that name their region, as vendors document them. */
const REGIONAL_HOSTS: readonly RegExp[] = [
  /^([a-z]{2})\.api\.openai\.com$/,
  /^bedrock-(?:runtime|mantle)\.([a-z0-9-]+)\.(?:amazonaws\.com|api\.aws)$/,
  /^([a-z0-9-]+)-aiplatform\.googleapis\.com$/,
  /^aiplatform\.([a-z]+)\.rep\.googleapis\.com$/,
  /^([a-z0-9]+)\.api\.cognitive\.microsoft\.com$/,
];

/**
 * The region that the host of a base URL names, for a person to confirm: a regional host alone does not
 * say where its vendor processes a request. Undefined: it names none.
 */
export function suggestedRegion(baseUrl: string): string | undefined {
  if (!URL.canParse(baseUrl)) return undefined;
  const { hostname } = new URL(baseUrl);
  for (const pattern of REGIONAL_HOSTS) {
    const named = regionName.safeParse(pattern.exec(hostname)?.[1]);
    if (named.success) return named.data;
  }
  return undefined;
}
