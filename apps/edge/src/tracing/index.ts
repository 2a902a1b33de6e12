export { SCOPE } from './conventions';
export { modelTrace } from './model-trace';
export {
  attemptHeaders,
  beginTrace,
  noteStep,
  traceHeaders,
  type RequestTrace,
} from '../exchange/request-trace';
