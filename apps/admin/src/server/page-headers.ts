/** The requested path, set by the proxy, to return to after sign-in. */
export const PATH_HEADER = 'x-tollgate-path';
