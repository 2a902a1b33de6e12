import { rest } from '@tollgate/contracts';

import { serve, serveDetached, type Route } from '../../rest/call';
import { create, get, list, remove, update, type ScreeningServiceDeps } from './screening-services';
import { testCode } from './test-code';

export function createScreeningServiceRoutes(deps: ScreeningServiceDeps): Route[] {
  return [
    serve(rest.listScreeningServices, list),
    serve(rest.createScreeningService, (call) => create(call, deps)),
    serve(rest.getScreeningService, get),
    serve(rest.updateScreeningService, (call) => update(call, deps)),
    serve(rest.deleteScreeningService, remove),
    serveDetached(rest.testScreeningCode, (call) => testCode(call, deps)),
  ];
}
