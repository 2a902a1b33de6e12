// Forms with files in them: taken in whole before anything is decided, since what is decided by
// may come after the file, and sent on part by part. What they mean is the operations' to know.

export { writeForm, type Form, type FormFile, type FormPart } from './form';
export { createUploads, type Uploads, type UploadLimits } from './receive';
