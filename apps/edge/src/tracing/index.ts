export { SCOPE } from './conventions';
export { modelTrace } from './model-trace';
export {
  askingPolicy,
  attemptHeaders,
  beginTrace,
  noteDecision,
  noteStep,
  traceHeaders,
  type RequestTrace,
} from '../exchange/request-trace';
