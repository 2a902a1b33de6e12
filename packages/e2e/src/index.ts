// A whole gateway for end-to-end tests, which stand in this folder too.
export * from './gateway/books';
export * from './gateway/gate';
export * from './gateway/gateway';
export * from './gateway/shared-gateway';
export * from './gateway/tenant';
