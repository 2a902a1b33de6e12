export { createAnswerRecorder } from './answer-recorder';
export { beginContent } from './content';
export { SCOPE } from './conventions';
export { endTrace } from './model-trace';
export { endedNow } from './server-span';
export {
  attemptHeaders,
  beginScreening,
  beginTrace,
  endScreening,
  traceHeaders,
  type RequestTrace,
} from '../exchange/request-trace';
