export { openService, type ServiceDeps } from './open-service';
