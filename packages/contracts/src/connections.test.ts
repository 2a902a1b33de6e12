import { CONNECTED_SERVICES, CONNECTIONS, type ConnectedService } from './connections';
import { GRPC_CALLERS, type Caller } from './grpc-callers';

/** Who serves the methods of a gRPC service. */
function serverOf(method: string): ConnectedService {
  return method.startsWith('/tollgate.policy.') ? 'policy' : 'catalog';
}

const isService = (caller: Caller): caller is Exclude<Caller, 'internal' | 'ops'> =>
  CONNECTED_SERVICES.some((service) => service === caller);

test('a service has a gRPC connection to another one if and only if it may call a method', () => {
  const allowed = Object.entries(GRPC_CALLERS).flatMap(([method, callers]) =>
    callers.filter(isService).map((caller) => `${caller} to ${serverOf(method)}`),
  );
  const connected = CONNECTED_SERVICES.flatMap((service) =>
    Object.entries(CONNECTIONS[service].calls ?? {})
      .filter(([, ports]) => ports.includes('grpc'))
      .map(([called]) => `${service} to ${called}`),
  );
  expect(connected.toSorted()).toEqual([...new Set(allowed)].toSorted());
});

test('each store has one service', () => {
  const stores = CONNECTED_SERVICES.flatMap((service) => CONNECTIONS[service].stores ?? []);
  expect(stores.toSorted()).toEqual(['postgresql', 'redis']);
});
