import type { rest } from '@tollgate/contracts';
import Link from 'next/link';
import { useMemo } from 'react';

import { When } from '../../design/when';
import { showUsd } from '../../format/money';
import { showCount, showShort } from '../../format/numbers';
import { sentence } from '../../format/words';
import type { ListColumn } from '../../resource/columns-menu';
import { SwitchStatus } from '../../resource/switch-status';
import { pageOf } from '../../shell/paths';
import { useOrganisation, useScope } from '../../shell/scope';
import { PriceCell } from './list-price';

/** `providers`: names by id, on pages that do not name the provider, for users who may know it. */
export function useModelColumns(
  providers: ReadonlyMap<string, string> | undefined,
): readonly ListColumn<rest.ListedModel>[] {
  const scope = useScope();
  const { timeZone } = useOrganisation();
  return useMemo<readonly ListColumn<rest.ListedModel>[]>(
    () => [
      {
        title: 'Name',
        sort: 'name',
        cell: (model) => <NameCell model={model} path={pageOf(scope, `models/${model.id}`)} />,
      },
      {
        title: 'Spend this month',
        sort: 'spentUsd',
        align: 'right',
        cell: ({ spentUsd }) => showUsd(spentUsd),
      },
      { title: 'Type', from: 'sm', cell: ({ type }) => sentence(type) },
      ...(providers === undefined
        ? []
        : [
            {
              title: 'Provider',
              from: 'md' as const,
              cell: ({ providerId }: rest.ListedModel) => (
                <Link
                  href={pageOf(scope, `providers/${providerId}`)}
                  className="text-accent underline-offset-4 hover:underline"
                >
                  {providers.get(providerId) ?? 'open'}
                </Link>
              ),
            },
          ]),
      {
        title: 'Price per million tokens',
        cell: (model) => <PriceCell model={model} />,
      },
      {
        title: 'Context',
        from: 'md',
        align: 'right',
        cell: ({ contextTokens }) => (
          <span title={`${showCount(contextTokens)} tokens`}>{showShort(contextTokens)}</span>
        ),
      },
      { title: 'Status', from: 'sm', cell: ({ status }) => <SwitchStatus status={status} /> },
      {
        title: 'Created',
        hidden: true,
        sort: 'createdAt',
        align: 'right',
        cell: ({ createdAt }) => <When instant={createdAt} timeZone={timeZone} />,
      },
    ],
    [providers, scope, timeZone],
  );
}

function NameCell({ model, path }: { readonly model: rest.ListedModel; readonly path: string }) {
  const { name, upstreamModel } = model;
  return (
    <>
      <Link
        href={path}
        className="block break-words text-accent underline-offset-4 hover:underline"
      >
        {name}
      </Link>
      {upstreamModel !== name && (
        <span className="block font-mono text-xs font-normal break-all text-ink-faint">
          {upstreamModel}
        </span>
      )}
    </>
  );
}
