import type { BurstRow } from './burst';
import type { KillRow } from './kill';

/** What our own gateway promises and the rows contradict; empty if nothing. */
export function breachesOf({
  bursts,
  kills,
}: {
  readonly bursts: readonly BurstRow[];
  readonly kills: readonly KillRow[];
}): string[] {
  const ours = ({ name }: { name: string }): boolean => name === 'tollgate';
  return [
    ...bursts.filter(ours).flatMap(({ served, began, affordable }) => {
      const most = String(affordable);
      const over = began > affordable || served > affordable;
      if (over) return [`${String(Math.max(began, served))} requests on a budget for ${most}`];
      return served < affordable ? [`only ${String(served)} of ${most} were served`] : [];
    }),
    ...kills
      .filter(ours)
      .flatMap(({ killed, began, mayLose, recorded }) =>
        recorded + mayLose < began
          ? [
              `${killed} killed: the provider began ${String(began)}, ${String(recorded)} are recorded`,
            ]
          : [],
      ),
  ];
}
