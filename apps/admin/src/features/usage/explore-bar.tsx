'use client';

import { isOneOf } from '@tollgate/contracts';

import { Select } from '../../design/field';
import { Switch } from '../../design/switch';
import { sentence } from '../../format/words';
import { GROUPS, groupsFor } from './state';
import type { Usage } from './use-usage';

/** Controls for grouping, time buckets and comparison. */
export function ExploreBar({ usage }: { usage: Usage }) {
  const { state, wide, go } = usage;
  const groups = groupsFor(wide);
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <label className="flex items-center gap-2 text-sm text-ink-soft">
        <span className="whitespace-nowrap">Group by</span>
        <Select
          value={state.group}
          onChange={({ target }) => {
            if (!isOneOf(groups, target.value)) return;
            go({ group: target.value === 'model' ? undefined : target.value, top: undefined });
          }}
        >
          {groups.map((group) => (
            <option key={group} value={group}>
              {GROUPS[group]}
            </option>
          ))}
        </Select>
      </label>
      <label className="flex items-center gap-2 text-sm text-ink-soft">
        <span>Every</span>
        <Select value={state.bucket} onChange={({ target }) => go({ bucket: target.value })}>
          {state.buckets.map((bucket) => (
            <option key={bucket} value={bucket}>
              {sentence(bucket)}
            </option>
          ))}
        </Select>
      </label>
      <Switch
        label="Compare with the previous period"
        checked={state.compare}
        onChange={(on) => go({ compare: on ? undefined : 'off' })}
      />
    </div>
  );
}
