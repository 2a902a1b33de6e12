// Entra's token endpoint and Azure's metadata service.

import { oauthError, type Issuer, type IssuerRow, type IssuersDeps, type Mint } from './issuer';

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const ENTRA_SCOPE = 'https://cognitiveservices.azure.com/.default';

export function entraIssuers({ settings }: IssuersDeps, { bearer }: Mint): IssuerRow[] {
  const entraToken: Issuer = ({ form }) => {
    if (form.get('grant_type') !== 'client_credentials')
      return oauthError('unsupported_grant_type');
    if (form.get('scope') !== ENTRA_SCOPE) return oauthError('invalid_scope');
    const assertion = form.get('client_assertion');
    if (assertion !== null) {
      const typed = form.get('client_assertion_type') === ASSERTION_TYPE;
      const known = typed && settings().subjectTokens.includes(assertion);
      return known ? bearer('azure') : oauthError('invalid_client', 401);
    }
    const secret = settings().entraClients[form.get('client_id') ?? ''];
    const good = secret !== undefined && form.get('client_secret') === secret;
    return good ? bearer('azure') : oauthError('invalid_client', 401);
  };

  // The metadata service writes numbers as texts.
  const entraMetadata: Issuer = ({ headers, url }) => {
    if (headers['metadata'] !== 'true') return oauthError('invalid_request');
    if (url.searchParams.get('resource') !== ENTRA_SCOPE.replace('/.default', '')) {
      return oauthError('invalid_resource');
    }
    return bearer('azure', { expires_in: String(settings().lifetimeS) });
  };

  return [
    ['POST', /^\/_cloud\/entra\/[^/]+\/oauth2\/v2\.0\/token$/, 'entra', entraToken],
    ['GET', /^\/metadata\/identity\/oauth2\/token$/, 'azure-metadata', entraMetadata],
  ];
}
