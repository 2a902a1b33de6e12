/** Questions of one organisation that are the same for each: a name and a path. */

const DAY_MS = 86_400_000;

export const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
export const year = (): string => `from=${ago(365)}`;

/** Lists of objects, which say what each has spent this month. */
export function sortedLists(size: string, root: string): [string, string][] {
  const lists = ['teams', 'users', 'apikeys', 'models', 'providers'];
  const asked: [string, string][] = [];
  for (const list of lists) {
    asked.push([`${size}: list of ${list}`, `${root}/${list}`]);
    asked.push([`${size}: list of ${list}, by spend`, `${root}/${list}?sort=-spentUsd`]);
  }
  asked.push([`${size}: list of apikeys, by last use`, `${root}/apikeys?sort=-lastUsedOn`]);
  return asked;
}

export function sums(size: string, root: string): [string, string][] {
  const explore = `${root}/usage/explore?compare=true`;
  const asked: [string, string][] = [];
  for (const group of ['team', 'user', 'apikey', 'model', 'provider', 'status', 'operation']) {
    asked.push([`${size}: 30 days by ${group}`, `${explore}&groupBy=${group}`]);
    asked.push([`${size}: year by ${group}`, `${explore}&groupBy=${group}&${year()}`]);
    asked.push([
      `${size}: 30 days by ${group}, percentiles`,
      `${explore}&groupBy=${group}&latency=true`,
    ]);
    asked.push([`${size}: 30 days by ${group} and day`, `${explore}&groupBy=${group}&bucket=day`]);
  }
  asked.push(
    [`${size}: year by day`, `${explore}&bucket=day&${year()}`],
    [`${size}: year by month`, `${explore}&bucket=month&${year()}`],
    [`${size}: 14 days by hour`, `${explore}&bucket=hour&from=${ago(14)}`],
    [`${size}: 7 days by hour and key`, `${explore}&bucket=hour&groupBy=apikey&from=${ago(7)}`],
    [`${size}: rollup, 30 days by day and model`, `${root}/usage/rollups?bucket=day&groupBy=model`],
    [`${size}: rollup, year by key`, `${root}/usage/rollups?bucket=total&groupBy=apikey&${year()}`],
  );
  return asked;
}

export function exportsOf(size: string, root: string): [string, string][] {
  return [
    [`${size}: export of records, first rows`, `${root}/usage/records/export?from=${ago(90)}`],
    [
      `${size}: export of rare records, first rows`,
      `${root}/usage/records/export?from=${ago(90)}&outcome=PARTIAL`,
    ],
    [`${size}: export of audit events, first rows`, `${root}/audit-events/export?from=${ago(300)}`],
  ];
}
