export { createAnswerRecorder } from './answer-recorder';
export { beginContent } from './content';
export { SCOPE } from './conventions';
export { modelTrace } from './model-trace';
export {
  attemptHeaders,
  beginScreening,
  beginTrace,
  endScreening,
  traceHeaders,
  type RequestTrace,
} from '../exchange/request-trace';
