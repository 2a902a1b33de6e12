/**
 * The management API over HTTP: `createRestApp` puts all routes together, `dispatch` is the way of
 * one call, `access` decides who may do what. What each endpoint does lives in `resources/`.
 */
export { createHealth, createRestApp, type RestDeps } from './create-rest-app';
export type { FinishedRequest } from './app';
