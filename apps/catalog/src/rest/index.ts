/**
 * The toolkit of the management API: `dispatch` is the way of one call, `access` decides who may do
 * what, `create-rest-shell` serves a list of routes. It knows no resource: what each endpoint does
 * lives in `resources/` and `auth/`, and `composition/` lists them.
 */
export { createRestShell, type FinishedRequest, type RestShellDeps } from './create-rest-shell';
