'use client';

import { ProviderLink } from '../models/provider-link';

const SHOWN = 12;

/** The providers whose passthrough rules a key may use. */
export function PassthroughProviders({ providerIds }: { providerIds: readonly string[] }) {
  if (providerIds.length === 0) return <span className="text-ink-soft">none</span>;
  return (
    <ul>
      {providerIds.slice(0, SHOWN).map((providerId) => (
        <li key={providerId}>
          <ProviderLink providerId={providerId} />
        </li>
      ))}
      {providerIds.length > SHOWN && (
        <li className="text-ink-faint">and {String(providerIds.length - SHOWN)} more</li>
      )}
    </ul>
  );
}
