import { gatewayError, ROUTE_FAMILIES, type GatewayError } from '@tollgate/contracts';
import type { AuthorizeRequest, Denial__Output } from '@tollgate/contracts/node';

import { askPolicy } from '../exchange/ask-policy';
import { isCompacted, isContinued } from '../exchange/conversation';
import { denialError } from '../exchange/denial';
import type { AuthorisedExchange, DecodedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { storedTurn } from '../exchange/settle-message';
import { tellIgnoredTags } from '../reply/ignored-tags';
import { limitHeaders } from '../reply/limit-headers';
import { tellRetirement } from '../reply/retirement-headers';

/**
 * Asks policy, which takes all holds of the request or none.
 * @throws GatewayError with the code of the refusal, or `dependency_unavailable` or `overloaded`
 */
export async function authorize(
  gateway: Gateway,
  exchange: DecodedExchange,
): Promise<AuthorisedExchange> {
  const { job } = exchange;
  const question = questionOf(exchange);
  const decision = await askPolicy(gateway, exchange, question);
  const { allow, denial } = decision;
  // The budget of a shadow is none of its client's key.
  const keyOfLimits = exchange.shadow === undefined ? exchange.keySha256 : undefined;
  gateway.metrics.limitsSeen((allow ?? denial).limits, keyOfLimits);
  exchange.denial = denial ?? undefined;
  // Of the name in the request, not of a model that a plugin has chosen.
  if (exchange.chosenModel === undefined) {
    tellRetirement(exchange.res, exchange.route.family, (allow ?? denial).retirement);
  }
  if (denial) throw refusal(gateway, exchange, denial);
  tellIgnoredTags(exchange.res, allow);
  if (allow.readTokens > 0) job.readTokens = allow.readTokens;
  if (allow.addedTokens > 0) job.assumedTokens = allow.addedTokens;
  exchange.lease?.confirm();
  return Object.assign(exchange, { allow, hold: decision.hold });
}

/** No model reads or writes more, and policy takes no higher number. */
const MOST_TOKENS = 1_000_000_000;

/** What policy is asked about a request. */
export function questionOf(exchange: DecodedExchange): AuthorizeRequest {
  const { affinity, claimed, conversation, job, keySha256, route, shadow } = exchange;
  const question: AuthorizeRequest = {
    requestId: exchange.requestId,
    keySha256,
    model: exchange.chosenModel ?? job.model,
    operation: route.operation,
    providerPin: job.provider ?? '',
    allowedProviderTypes: [...ROUTE_FAMILIES[route.family].providerTypes],
    inputTokensEstimate: Math.min(job.inputTokensEstimate, MOST_TOKENS),
    audioInputTokensEstimate: Math.min(job.audioInputTokensEstimate, MOST_TOKENS),
    textOutput: job.textOutput,
    maxOutputTokens: Math.min(job.maxOutputTokens, MOST_TOKENS),
    choices: job.choices,
    unitsEstimate: job.unitsEstimate,
    serverTools: job.serverTools ? [...job.serverTools] : [],
    serviceTiers: job.serviceTiers ? [...job.serviceTiers] : [],
    // Only output that can be ended at a bound is held in steps.
    stream: job.stream && job.growing,
    requiredCapabilities: job.needs ?? '',
    previousResponseId: job.previousResponseId,
    conversationId: job.conversationId ?? '',
    storedId: job.storedId ?? '',
    clientRequestId: exchange.clientRequestId,
    route: route.path,
    family: route.family,
  };
  if (affinity) {
    question.affinity = affinity;
    if (isCompacted(exchange)) question.contextCompacted = true;
    if (isContinued(exchange)) question.conversationContinues = true;
  } else if (conversation) {
    question.conversation = conversation;
  }
  if (shadow) {
    question.model = '';
    question.shadowOf = shadow.requestId;
    question.shadowExperimentId = shadow.experimentId;
  }
  if (job.outputTokensEstimate) question.outputTokensEstimate = job.outputTokensEstimate;
  if (job.addsTo) question.addedTokens = Math.min(storedTurn(job).addedTokens, MOST_TOKENS);
  if (claimed) question.claimed = claimed;
  if (job.itemIds) question.itemIds = [...job.itemIds];
  if (job.replayedItemIds) question.replayedItemIds = [...job.replayedItemIds];
  return question;
}

function refusal(gateway: Gateway, exchange: DecodedExchange, denial: Denial__Output) {
  const error = denialErrorOf(gateway, exchange, denial);
  if (error.code === 'internal_error') return error;
  const left = limitHeaders(exchange.route.family, denial.limits, gateway.wallMs());
  for (const [name, value] of Object.entries(left)) {
    exchange.res.setHeader(name, value);
  }
  return error;
}

/** Policy's refusal of a request as an error for its client. */
export function denialErrorOf(
  { log }: Pick<Gateway, 'log'>,
  { chosenModel, job }: DecodedExchange,
  denial: Denial__Output,
): GatewayError {
  const error = denialError(log, denial);
  if (!job.modelAssumed || chosenModel !== undefined || error.code !== 'model_not_found')
    return error;
  const text = `model: is required, because this organisation does not have the default model "${job.model}"`;
  return gatewayError('invalid_request', text, { param: 'model', details: error.details });
}
