import type { AuthorizeReply, AuthorizeRequest__Output } from '@tollgate/contracts/node';
import {
  newSpanId,
  unpackTrace,
  type SpanAttributes,
  type TraceContext,
  type Tracing,
} from '@tollgate/kit/tracing';

import { Failure } from '../failure';
import type { Items } from './items';

/** Decisions that the edge traces get a span, a child of the edge's. The others cost a comparison. */
export function tracedItems(tracing: Pick<Tracing, 'add'> | undefined, items: Items): Items {
  if (!tracing) return items;
  return {
    ...items,
    authorize: (request, deadlineAtMs, caller) => {
      const context = unpackTrace(request.trace);
      const decision = items.authorize(request, deadlineAtMs, caller);
      return context?.sampled === true ? traced(tracing, context, request, decision) : decision;
    },
  };
}

async function traced(
  tracing: Pick<Tracing, 'add'>,
  context: TraceContext,
  request: AuthorizeRequest__Output,
  decision: Promise<AuthorizeReply>,
): Promise<AuthorizeReply> {
  const startMs = Date.now();
  const startedAt = performance.now();
  const end = (attributes: SpanAttributes, error?: string): void => {
    tracing.add({
      traceId: context.traceId,
      state: '',
      spans: [
        {
          name: 'policy authorize',
          kind: 'SERVER',
          spanId: newSpanId(),
          parentSpanId: context.spanId,
          startMs,
          endMs: startMs + performance.now() - startedAt,
          attributes: [['tollgate.request.id', request.requestId], ...attributes],
          error,
        },
      ],
    });
  };
  try {
    const reply = await decision;
    // Whoever has no key cannot have anything traced.
    if (reply.denial?.code !== 'invalid_api_key') end(decided(reply));
    return reply;
  } catch (error) {
    const code = error instanceof Failure ? error.code : 'INTERNAL';
    end([['error.type', code]], code);
    throw error;
  }
}

function decided({ allow, denial }: AuthorizeReply): SpanAttributes {
  return [
    ['tollgate.decision', denial ? 'deny' : 'allow'],
    ['tollgate.denial.code', denial?.code || undefined],
    ['tollgate.limit.id', denial?.limitId || undefined],
    ['tollgate.organisation.id', (allow ?? denial)?.subject?.organisationId || undefined],
    ['tollgate.held_nano_usd', allow?.heldNanoUsd || undefined],
    ['tollgate.candidates', allow?.candidates?.length],
  ];
}
