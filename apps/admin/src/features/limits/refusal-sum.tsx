'use client';

import type { rest } from '@tollgate/contracts';
import Link from 'next/link';

import { CodeBlock } from '../../design/code-block';
import { Facts } from '../../design/facts';
import { pageOf, withQuery } from '../../shell/paths';
import { useMay, useScope } from '../../shell/scope';
import { LimitLink } from './limit-link';
import { sumOf } from './sum-parts';

interface RefusalSumProps {
  readonly limit: rest.RefusingLimit;
  readonly need: rest.RefusalNeed;
  /** The requested model's page; undefined: unknown. */
  readonly modelHref: string | undefined;
  /** Whose need it is. */
  readonly of?: string;
}

const LINK = 'text-accent underline-offset-4 hover:underline';

/** What the last refused request needed and what was left, with what helps. */
export function RefusalSum({ limit, need, modelHref, of = 'the last request' }: RefusalSumProps) {
  const sum = sumOf(limit, need);
  const needed = (
    <>
      <Figure>{sum.needed}</Figure>
      {sum.madeOf !== '' && <span className="block text-sm text-ink-faint">for {sum.madeOf}</span>}
    </>
  );
  return (
    <div className="flex flex-col gap-3">
      <Facts
        facts={[
          { name: `Needed by ${of}`, value: needed },
          { name: 'Limit', value: <Figure>{sum.limit}</Figure> },
          { name: 'Spent', value: <Figure>{sum.spent}</Figure> },
          { name: 'Held', value: <Figure>{sum.held}</Figure> },
          { name: 'Left', value: <Figure>{sum.left}</Figure> },
        ]}
      />
      <div className="text-sm">
        <p className="font-medium">What helps</p>
        <Remedies
          limit={limit}
          need={need}
          modelHref={modelHref}
          fittingTokens={sum.fittingTokens}
        />
      </div>
    </div>
  );
}

function Figure({ children }: { children: string }) {
  return <span className="tabular-nums">{children}</span>;
}

type RemediesProps = RefusalSumProps & { readonly fittingTokens: number | undefined };

function Remedies({ limit, need, modelHref, fittingTokens }: RemediesProps) {
  const scope = useScope();
  const mayWrite = useMay('budgets.write');
  const mayEditModel = useMay('models.write');
  const formOf = (field: string): string =>
    withQuery(pageOf(scope, 'budgets'), { edit: limit.id, field });
  const editable = limit.kind === 'BUDGET' && mayWrite;
  return (
    <ul className="mt-1 flex list-disc flex-col gap-1.5 pl-5 text-ink-soft">
      {fittingTokens !== undefined && (
        <li>
          Send a bound of the output that fits into what was left:
          <CodeBlock
            label="A bound of the output that fits"
            text={`"max_tokens": ${String(fittingTokens)}`}
          />
        </li>
      )}
      {editable && need.outputTokens !== null && !need.outputExpected && (
        <li>
          <Link href={formOf('clampToBudget')} className={LINK}>
            Lower the output bound instead of refusing
          </Link>
        </li>
      )}
      {need.outputAssumed && modelHref !== undefined && mayEditModel && (
        <li>
          <Link href={withQuery(modelHref, { edit: 'defaultMaxOutputTokens' })} className={LINK}>
            Change the output that the model assumes
          </Link>
        </li>
      )}
      <li>
        {editable ? (
          <Link href={formOf('limitUsd')} className={LINK}>
            Raise the budget
          </Link>
        ) : (
          <LimitLink limit={limit}>Open the limit</LimitLink>
        )}
      </li>
    </ul>
  );
}
