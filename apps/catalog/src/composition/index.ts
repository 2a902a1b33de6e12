/**
 * The composition root: lists the served resources, and creates, starts and stops the parts of the
 * service. Only launchers and tests import it.
 */
export { startCatalog, type Catalog, type CatalogDeps } from './start-catalog';
export { createHealth, createRestApp, type RestDeps } from './create-rest-app';
