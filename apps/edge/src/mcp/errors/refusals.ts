// Refusals of this route that are none of the gateway's error table: other protocols say their status and
// code.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

import type { HeaderMismatch } from '../headers';

/** HTTP has a status of its own for a method that the path does not have. */
export class MethodNotAllowed extends Error {
  override readonly name = 'MethodNotAllowed';
  readonly error: GatewayError;
  constructor() {
    const text = 'This path takes POST, GET and DELETE. Use one of them.';
    super(text);
    this.error = gatewayError('route_not_found', text);
  }
}

/** MCP has a code of its own for headers that contradict the body. */
export class HeadersContradict extends Error {
  override readonly name = 'HeadersContradict';
  readonly error: GatewayError;
  constructor({ header, message }: HeaderMismatch) {
    super(message);
    this.error = gatewayError('invalid_request', message, { param: header });
  }
}
