/** Set by the proxy for the page: the path it was asked by, to come back to after sign-in. */
export const PATH_HEADER = 'x-tollgate-path';
