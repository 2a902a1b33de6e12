// Checks of what a request reads or continues: a stored response or a conversation, by its id.
import type { KeyPlan, ModelPlan } from '../directory';
import type { Ask, Passed, Refusal } from './ask';

const ID_SHOWN = 200;

// Only one of the two is looked up, so the owner of the other would stay unchecked.
export function checkConversation(ask: Ask): Refusal | Passed {
  if (ask.request.previousResponseId !== '') {
    const message =
      'conversation: cannot be sent together with previous_response_id. Send one of the two.';
    return { code: 'invalid_request', message, details: { param: 'conversation' } };
  }
  return ask.issuer === undefined ? notFound(ask) : undefined;
}

export function notFound({ request }: Ask): Refusal {
  const { conversationId, operation, storedId } = request;
  const kind =
    storedId === '' || operation.startsWith('conversation') ? 'Conversation' : 'Response';
  const id = (storedId || conversationId).slice(0, ID_SHOWN);
  return { code: 'stored_object_not_found', message: `${kind} with id '${id}' not found.` };
}

export function itemNotFound(id: string): Refusal {
  const message = `Item with id '${id.slice(0, ID_SHOWN)}' not found.`;
  return { code: 'stored_object_not_found', message, details: { param: 'input' } };
}

export function itemsFit({ items }: Ask, _plan: KeyPlan, model: ModelPlan): Refusal | Passed {
  const { providerId } = model.entry;
  if (items === undefined || items.issuers.every((one) => one.providerId === providerId)) {
    return undefined;
  }
  return {
    code: 'invalid_request',
    message:
      'input: it refers to an item that was made by another provider than the one of the model ' +
      `"${model.name}". Send the item itself.`,
    details: { param: 'input', reason: 'other_provider', model: model.name },
  };
}

// Only the upstream that made a response or conversation has its contents.
export function previousResponseFits(
  { request, issuer }: Ask,
  _plan: KeyPlan,
  model: ModelPlan,
): Refusal | Passed {
  const { conversationId, previousResponseId } = request;
  if (previousResponseId === '' && conversationId === '') return undefined;
  const param = previousResponseId === '' ? 'conversation' : 'previous_response_id';
  if (issuer === undefined) {
    return {
      code: 'invalid_request',
      message: `${param}: no response that this key may use has this id, or it is older than 30 days.`,
      details: { param, reason: 'unknown_response' },
    };
  }
  if (issuer.providerId === model.entry.providerId) return undefined;
  return {
    code: 'invalid_request',
    message: `${param}: it was made by another provider than the one of the model "${model.name}".`,
    details: { param, reason: 'other_provider', model: model.name },
  };
}
