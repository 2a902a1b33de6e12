// Receives forms with files. A form is received whole before policy is asked, because its fields
// may follow the file, and it is sent on part by part. Its meaning belongs to `operations`.

export { writeForm, type Form, type FormField, type FormFile, type FormPart } from './form';
export { createUploads, type Uploads, type UploadLimits } from './receive';
