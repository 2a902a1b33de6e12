import type { ErrorCode } from '@tollgate/contracts';
import type { AuthorizeRequest__Output, Retirement } from '@tollgate/contracts/node';

import type { AskedModel, KeyPlan, ModelPlan, PlannedPrice } from '../directory';
import type { Issuer, StoredItems } from './owner';

// What the checks are asked, and what they answer.

/** A refusal before any counter is read. */
export interface Refusal {
  readonly code: ErrorCode;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Why a key is not valid: for operators, never for the client. */
  readonly reason?: string;
  /** What was announced of the name that the request asked for. */
  readonly retirement?: Retirement | undefined;
}

/** Input of the checks. Plan, model and price are absent where the key or the model is unknown. */
export interface Ask {
  readonly request: AuthorizeRequest__Output;
  readonly nowMs: number;
  readonly plan: KeyPlan | undefined;
  readonly model: ModelPlan | undefined;
  /** What the request's own name stands for; absent: it names none. */
  readonly named?: AskedModel | undefined;
  /** The price in effect now. */
  readonly price: PlannedPrice | undefined;
  /** Who made the response that this request continues; absent: none is named, or it is unknown. */
  readonly issuer?: Issuer | undefined;
  /** The candidates of the routing policy that chooses; absent: the model alone. */
  readonly alongside?: readonly { readonly modelId: string }[] | undefined;
  /** Absent: the input names no stored items. */
  readonly items?: StoredItems | undefined;
  /** Is told of every check that is made. */
  readonly note?: NoteCheck | undefined;
}

export type NoteCheck = (name: CheckName, passed: boolean) => void;

export type Passed = undefined;

/** The checks before any counter is read, as a dry run names them. */
export type CheckName =
  | 'key'
  | 'stored_items'
  | 'conversation'
  | 'stored_object'
  | 'model'
  | 'sunset'
  | 'operation'
  | 'provider_operation'
  | 'provider_pin'
  | 'route'
  | 'continued_response'
  | 'stored_items_reachable'
  | 'provider_set_up'
  | 'tool_prices'
  | 'tier_prices'
  | 'model_access'
  | 'region'
  | 'screening_region'
  | 'routing'
  | 'mcp_access'
  | 'passthrough'
  | 'tags'
  | 'values'
  | 'limits';
