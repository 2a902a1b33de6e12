// Which service opens connections to what. The NetworkPolicies of the Helm chart are made from the same
// table (deploy/helm/tollgate/files/network.yaml); a test compares them.

export const CONNECTED_SERVICES = ['edge', 'policy', 'catalog', 'runner', 'admin'] as const;
export type ConnectedService = (typeof CONNECTED_SERVICES)[number];

export interface Connections {
  /** By service, the ports that it is called at. */
  readonly calls?: Readonly<Partial<Record<ConnectedService, readonly ('grpc' | 'http')[]>>>;
  readonly stores?: readonly ('postgresql' | 'redis')[];
  /** Addresses of others: providers, MCP servers, mail, identity providers. */
  readonly outside?: true;
}

export const CONNECTIONS: Readonly<Record<ConnectedService, Connections>> = {
  edge: { calls: { policy: ['grpc'], catalog: ['grpc'], runner: ['http'] }, outside: true },
  policy: { calls: { catalog: ['grpc'] }, stores: ['redis'] },
  catalog: { calls: { runner: ['http'] }, stores: ['postgresql'], outside: true },
  runner: { calls: { catalog: ['grpc'] }, outside: true },
  admin: { calls: { catalog: ['http'], edge: ['http'] } },
};
