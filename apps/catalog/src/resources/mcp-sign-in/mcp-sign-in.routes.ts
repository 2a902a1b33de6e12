import { rest } from '@tollgate/contracts';

import { serve, type Route } from '../../rest/call';
import { get, remove, set } from './mcp-sign-in';

export const mcpSignInRoutes: Route[] = [
  serve(rest.getMcpSignIn, get),
  serve(rest.setMcpSignIn, set),
  serve(rest.deleteMcpSignIn, remove),
];
