/**
 * The management API: one file per resource with its schemas and its endpoints. Validation, types,
 * the OpenAPI document, the console's client and the permission tests all come from here; what an
 * endpoint does lives in the catalog.
 */
export * from './abandoned';
export * from './adjustments';
export * from './alert-endpoints';
export * from './alert-rules';
export * from './alerts';
export * from './api-keys';
export * from './audit-events';
export * from './auth';
export * from './endpoint';
export * from './endpoints';
export * from './error';
export * from './export-destinations';
export * from './export-endpoints';
export * from './fields';
export * from './identities';
export * from './invitations';
export * from './invoices';
export * from './limits';
export * from './mcp-auth';
export * from './mcp-grants';
export * from './mcp-rules';
export * from './mcp-servers';
export * from './mcp-sign-in';
export * from './mcp-usage';
export * from './mcp-test';
export * from './model-grants';
export * from './models';
export * from './organisations';
export * from './permissions';
export * from './platform-alerts';
export * from './prices';
export * from './provider-keys';
export * from './providers';
export * from './quarantine';
export * from './rate-limits';
export * from './refusals';
export * from './rerates';
export * from './routing-policies';
export * from './screening-policies';
export * from './screening-services';
export * from './sessions';
export * from './settings';
export * from './sign-in';
export * from './soft-limits';
export * from './system';
export * from './teams';
export * from './upstreams';
export * from './usage';
export * from './usage-explorer';
export * from './usage-exports';
export * from './usage-live';
export * from './users';
