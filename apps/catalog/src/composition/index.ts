/**
 * The composition root: which resources are served, and how the parts of the service are put together,
 * started and stopped. Nothing but the launchers imports it.
 */
export { startCatalog, type Catalog, type CatalogDeps } from './start-catalog';
export { createHealth, createRestApp, type RestDeps } from './create-rest-app';
