// Clouds by name. What an identity at one of them is, only services read: ./cloud-identities.
export type Cloud = 'google' | 'azure' | 'aws';

/** The longest document of an identity; the file of a service account has about 2,400 characters. */
export const IDENTITY_CHARACTERS = 12_000;

/** A key never begins as a document does. */
export function isIdentityDocument(secret: string): boolean {
  return secret.trimStart().startsWith('{');
}
