'use client';

import { isOneOf, rest } from '@tollgate/contracts';

import { useRead } from '../../api/provider';
import { Select } from '../../design/field';
import { Switch } from '../../design/switch';
import { sentence } from '../../format/words';
import { useMay, useScope } from '../../shell/scope';
import { GROUPS, groupsFor } from './state';
import type { Usage } from './use-usage';

/** Begins the option of a tag. */
const TAG = 'tag:';

/** The tags that the organisation knows. */
function useTags(enabled: boolean): readonly string[] {
  const { organisation } = useScope();
  const { data } = useRead(
    rest.getSettings,
    { params: { organisationId: organisation?.id ?? '' } },
    { enabled: useMay('organisation.read') && enabled },
  );
  return data?.tagKeys ?? [];
}

/** Controls for grouping, time buckets and comparison. */
export function ExploreBar({ usage }: { usage: Usage }) {
  const { state, wide, go } = usage;
  const known = useTags(!wide);
  // A tag of the address may be one that the organisation no longer knows.
  const { tagKey } = state;
  const tags = tagKey === undefined || known.includes(tagKey) ? known : [...known, tagKey];
  const groups = groupsFor(wide).filter((group) => group !== 'tag');
  const chosen = tagKey === undefined ? state.group : `${TAG}${tagKey}`;
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <label className="flex items-center gap-2 text-sm text-ink-soft">
        <span className="whitespace-nowrap">Group by</span>
        <Select
          value={chosen}
          onChange={({ target }) => {
            const { value } = target;
            if (value.startsWith(TAG)) {
              go({ group: 'tag', tagKey: value.slice(TAG.length), top: undefined });
            } else if (isOneOf(groups, value)) {
              const group = value === 'model' ? undefined : value;
              go({ group, tagKey: undefined, top: undefined });
            }
          }}
        >
          {groups.map((group) => (
            <option key={group} value={group}>
              {GROUPS[group]}
            </option>
          ))}
          {tags.map((key) => (
            <option key={key} value={`${TAG}${key}`}>
              Tag {key}
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
