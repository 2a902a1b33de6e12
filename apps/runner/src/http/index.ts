// The inward side: Streamable HTTP for the edge and the catalog.
export { createHandler } from './serve';
