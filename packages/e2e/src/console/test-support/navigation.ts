import { join } from 'node:path';
import { rest } from '@tollgate/contracts';
import { z } from 'zod';

// The console's navigation, read from its source: its pages, and the roles that see them.

const action = z.custom<rest.Action>((given) => rest.ACTIONS.some((known) => known === given));
const entries = z.array(
  z.object({ page: z.string(), label: z.string(), action: action.optional() }),
);
const sections = z
  .array(z.object({ entries }))
  .transform((all) => all.flatMap((section) => section.entries));
const navigation = z.object({
  ORGANISATION_NAVIGATION: sections,
  PLATFORM_NAVIGATION: sections,
});

export type Entry = z.output<typeof entries>[number];

const SOURCE = join(__dirname, '../../../../../apps/admin/src/shell/navigation.ts');

export async function readNavigation(): Promise<Record<Scope, readonly Entry[]>> {
  const source: unknown = await import(SOURCE);
  const { ORGANISATION_NAVIGATION, PLATFORM_NAVIGATION } = navigation.parse(source);
  return { organisation: ORGANISATION_NAVIGATION, platform: PLATFORM_NAVIGATION };
}

/** Relative to `/:organisation`, or to `/admin`. */
export type Scope = 'organisation' | 'platform';
