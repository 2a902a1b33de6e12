// Responses over a WebSocket, as Codex and the vendor's SDKs use them: each `response.create` message is one
// request of the ordinary pipeline, and its events are text frames. Upstream it is ordinary HTTP.

export {
  createResponsesSockets,
  socketRouteOf,
  type ResponsesSockets,
  type ResponsesSocketLimits,
} from './responses-sockets';
