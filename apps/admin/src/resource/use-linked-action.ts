'use client';

import { useEffect, useRef } from 'react';

import { ApiError } from '../api/rest-client';
import type { MenuAction } from '../design/menu';
import { useFailure } from '../design/toast';
import { useListQuery } from '../design/use-list-query';
import { DO, NEW, ON, rowActionLabel } from '../shell/linked-actions';

/** Opens the form for one more once, if the address asks for it; false where the user may not. */
export function useLinkedNew(onNew: false | (() => void)): void {
  const { get, clear } = useListQuery();
  const asked = get(DO) === NEW;
  const latest = useRef(onNew);
  useEffect(() => {
    latest.current = onNew;
  });
  useEffect(() => {
    if (!asked) return;
    if (latest.current !== false) latest.current();
    clear([DO]);
  }, [asked, clear]);
}

/** Starts the action on one row that the address names, once the rows are there. */
export function useLinkedRowAction(
  rows: readonly string[] | undefined,
  actionsOf: (row: string) => readonly MenuAction[],
): void {
  const { get, clear } = useListQuery();
  const fail = useFailure();
  const label = rowActionLabel(get(DO));
  const row = get(ON);
  const latest = useRef(actionsOf);
  useEffect(() => {
    latest.current = actionsOf;
  });
  const ready = rows !== undefined && label !== undefined && row !== undefined;
  const there = ready && rows.includes(row);
  useEffect(() => {
    if (!ready) return;
    const action = there ? latest.current(row).find((one) => one.label === label) : undefined;
    if (action !== undefined && 'onSelect' in action) action.onSelect();
    else fail(new ApiError(0, 'action_unavailable', `“${label}” is not available for it.`));
    clear([DO, ON]);
  }, [ready, there, row, label, fail, clear]);
}
