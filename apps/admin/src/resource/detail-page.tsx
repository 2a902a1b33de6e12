'use client';

import { useEffect, type ComponentProps, type ReactNode } from 'react';

import { Button } from '../design/button';
import { Failure } from '../design/failure';
import { ActionMenu, type MenuAction } from '../design/menu';
import { Page } from '../design/page';
import { SkeletonRows } from '../design/skeleton';
import { hrefNow, rememberObject } from '../shell/palette/recent';
import { useScope } from '../shell/scope';

interface DetailPageProps<Value> {
  /** What the page shows: its title until the name is known. "API key". */
  readonly noun: string;
  /** The resource as `useRead` returns it. */
  readonly read: {
    readonly data: Value | undefined;
    readonly error: Error | null;
    readonly refetch: () => Promise<unknown>;
  };
  readonly title: (value: Value) => string;
  readonly description: (value: Value) => string;
  /** Links before the actions. */
  readonly links?: ReactNode;
  readonly actions?: readonly MenuAction[];
  /** The action that the page is opened for most often. */
  readonly primary?: string;
  /** This many actions are buttons, the others are in a menu. */
  readonly buttons?: number;
  /** Open above the page. */
  readonly windows?: ReactNode;
  readonly children: (value: Value) => ReactNode;
}

/** The page of one resource: its name, what can be done with it, then its parts. */
export function DetailPage<Value>(props: DetailPageProps<Value>) {
  const { noun, read, title, description, links, windows, children } = props;
  const { actions = [], primary, buttons = actions.length } = props;
  const { data, error, refetch } = read;
  const name = data === undefined ? undefined : title(data);
  const { me } = useScope();
  useEffect(() => {
    if (name === undefined) return;
    document.title = `${name} · ${noun} · Tollgate`;
    rememberObject(me.id, { href: hrefNow(), name, note: noun });
  }, [name, noun, me.id]);
  return (
    <Page
      title={name ?? noun}
      {...(data === undefined ? {} : { description: description(data) })}
      actions={
        <>
          {links}
          {actions.slice(0, buttons).map((action) => (
            <ActionButton
              key={action.label}
              action={action}
              look={action.label === primary ? 'primary' : 'plain'}
            />
          ))}
          <ActionMenu label="More actions" actions={actions.slice(buttons)} />
        </>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {error === null && data === undefined && <SkeletonRows label={`Loading ${noun}`} />}
      {data !== undefined && children(data)}
      {windows}
    </Page>
  );
}

interface ActionButtonProps {
  readonly action: MenuAction;
  readonly look: NonNullable<ComponentProps<typeof Button>['look']>;
}

function ActionButton({ action, look }: ActionButtonProps) {
  return (
    <Button look={look} onClick={'onSelect' in action ? action.onSelect : undefined}>
      <action.icon aria-hidden />
      {action.label}
    </Button>
  );
}
