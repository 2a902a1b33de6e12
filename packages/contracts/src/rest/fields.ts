import { z } from 'zod';

import { MAX_NANO_USD, parseUsd } from '../money';

/** Fields that several resources share, with their limits. */

/** UUIDs are compared as text, so they are read in lower case, as PostgreSQL writes them. */
export const id = z.uuid().toLowerCase();
export const name = z
  .string()
  .trim()
  .min(1, 'a name has at least one character')
  .max(200, 'a name has at most 200 characters');
export const email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254)
  .pipe(z.email())
  .meta({ type: 'string', format: 'email' });
export const password = z
  .string()
  .min(10, 'a password has at least 10 characters')
  .max(200, 'a password has at most 200 characters');
/** Statuses of resources that can be switched off and on. */
export const SWITCH_STATUSES = ['ACTIVE', 'DISABLED'] as const;
export const instant = z.iso.datetime({ offset: true });

const LATEST_MS = Date.UTC(9999, 0);

/** A given instant, in the range that every part of the system can handle. */
export const givenInstant = instant.refine((text) => {
  const ms = Date.parse(text);
  return ms >= 0 && ms < LATEST_MS;
}, 'lies before 1970 or after 9998');

/** First path segments of the console and of Next.js: an organisation of that name would be unreachable. */
export const RESERVED_SLUGS: readonly string[] = [
  '_next',
  'accept-invitation',
  'admin',
  'api',
  'assets',
  'auth',
  'docs',
  'favicon.ico',
  'forgot-password',
  'health',
  'healthz',
  'invitations',
  'invite',
  'login',
  'logout',
  'metrics',
  'new',
  'organisations',
  'public',
  'reset-password',
  'robots.txt',
  'settings',
  'sitemap.xml',
  'static',
  'v1',
  'v1beta',
];

export const slug = z
  .string()
  .min(2)
  .max(63)
  .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])$/, 'lower-case letters, digits and inner hyphens only')
  .refine((value) => !RESERVED_SLUGS.includes(value), 'this name is reserved');

/** Decimal US dollars, at most nine places and nine million dollars: nano-USD fit 9·10^15. */
export const usd = z
  .string()
  .regex(/^\d{1,7}(\.\d{1,9})?$/, {
    error: 'decimal US dollars with at most nine places, such as "12.50"',
    // An invalid amount is reported once, not also as too large.
    abort: true,
  })
  .refine((value) => {
    try {
      return parseUsd(value) <= MAX_NANO_USD;
    } catch {
      return false;
    }
  }, 'at most 9000000 US dollars')
  .meta({ id: 'Usd', description: 'Decimal US dollars, such as "12.50".' });

/** An amount in an answer: totals may exceed the limit of inputs. */
export const usdAmount = z
  .string()
  .regex(/^-?\d+(\.\d{1,9})?$/)
  .meta({ id: 'UsdAmount', description: 'Decimal US dollars, such as "12.50".' });

export const count = z.int().min(0).max(9_000_000_000_000_000);

export const PAGE_LIMIT = 200;

/** Rows that a list counts; beyond it, it says "more". */
export const COUNTED_ROWS = 10_000;

/** How many rows a list has with its filters, on all pages. */
export const matching = z
  .object({
    count: count.meta({ description: `At most ${COUNTED_ROWS} unless a list knows it from sums.` }),
    more: z.boolean().meta({ description: 'Whether there are more than `count`.' }),
    costUsd: usdAmount.nullable().optional().meta({
      description:
        'Of usage records: what they cost, with adjustments; null: the filters or the period are not those of the sums.',
    }),
  })
  .nullable()
  .optional()
  .meta({
    id: 'Matching',
    description:
      'With `total=true`: the rows with these filters that you may see. Null: counting took too long.',
  });
export type Matching = z.output<typeof matching>;

/** A page as handlers return it. */
export interface PageOf<Item> {
  readonly data: Item[];
  readonly nextCursor: string | null;
  readonly matching?: Matching;
}

export const spentThisMonth = usdAmount.meta({
  description: "Booked this month, in the organisation's calendar, as far as you may see it.",
});

/** How a listed key is used. */
export const keyUse = {
  spentUsd: spentThisMonth,
  lastUsedOn: z.iso.date().nullable().meta({
    description:
      "The day of its latest booked request, in the organisation's calendar; null: never.",
  }),
};

/** The query of a list: keyset paging, a sort out of `sorts` (`-name` descends), filters. */
export function listQuery<const Sort extends string, Filters extends z.ZodRawShape>(
  sorts: readonly [Sort, ...Sort[]],
  filters: Filters,
) {
  const orders = sorts.flatMap((sort) => [sort, `-${sort}` as const]);
  return z.strictObject({
    cursor: z.string().min(1).max(2000).optional(),
    limit: z.coerce.number().int().min(1).max(PAGE_LIMIT).default(50),
    sort: z.enum(orders as [Sort | `-${Sort}`, ...(Sort | `-${Sort}`)[]]).optional(),
    total: z
      .literal('true')
      .optional()
      .meta({ description: 'Asks for `matching`, which costs a second query.' }),
    ...filters,
  });
}

export const search = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .optional()
  .meta({ description: 'Matches text anywhere in the name, ignoring case.' });

export function page<Item extends z.ZodType>(item: Item) {
  return z.object({
    data: z.array(item),
    nextCursor: z.string().nullable().meta({ description: 'Null on the last page.' }),
    matching,
  });
}

/** A change of an object: every field may be absent, at least one must be there. */
export function patchOf<Shape extends z.ZodRawShape>(shape: Shape) {
  return z
    .strictObject(shape)
    .partial()
    .refine((value) => Object.keys(value).length > 0, 'nothing to change');
}
