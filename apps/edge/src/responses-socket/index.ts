// Responses over a WebSocket, as Codex and the vendor's SDKs use them: each `response.create` message is one
// request of the ordinary pipeline, and its events are text frames. Upstream it is ordinary HTTP.

export { answerRefusal } from './refusal';
export { createResponsesSockets, socketRouteOf, type ResponsesSockets } from './responses-sockets';
