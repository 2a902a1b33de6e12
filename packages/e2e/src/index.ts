// A whole gateway for end-to-end tests; the tests stand beside this folder's parts.
export * from './gateway/books';
export * from './gateway/gate';
export * from './gateway/gateway';
export * from './gateway/tenant';
