import { z } from 'zod';

import { endpoint } from './endpoint';
import { email, id, instant, listQuery, name, page, password, search } from './fields';
import { organisationRole } from './users';

/** EXPIRED was never accepted and can be sent again. */
export const INVITATION_STATUSES = ['PENDING', 'ACCEPTED', 'REVOKED', 'EXPIRED'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

export const MAIL_STATUSES = ['PENDING', 'SENT', 'FAILED'] as const;
export type MailStatus = (typeof MAIL_STATUSES)[number];

const MAX_TEAMS = 50;
const MAX_DAYS = 30;

/** The token of a link: 32 random bytes in base64url. */
export const linkToken = z
  .string()
  .regex(/^[\w-]{43}$/, 'is not a token of a link')
  .meta({ description: 'The part of the link after `#token=`.' });

const mail = z
  .object({
    status: z.enum(MAIL_STATUSES),
    attempts: z.int(),
    lastError: z.string().nullable(),
    sentAt: instant.nullable(),
  })
  .meta({ id: 'MailDelivery' });

const fields = {
  id,
  organisationId: id,
  email: z.string(),
  role: organisationRole,
  teamIds: z.array(id),
  status: z.enum(INVITATION_STATUSES),
  invitedBy: id,
  expiresAt: instant,
  acceptedAt: instant.nullable(),
  mail: mail.nullable().meta({ description: 'Null when the link was shown instead of mailed.' }),
  createdAt: instant,
};

export const invitation = z.object(fields).meta({ id: 'Invitation' });
export type Invitation = z.output<typeof invitation>;

export const sentInvitation = z
  .object({
    ...fields,
    link: z.string().nullable().meta({
      description: 'Link for the invited person; null: it was sent by mail.',
    }),
  })
  .meta({ id: 'SentInvitation' });
export type SentInvitation = z.output<typeof sentInvitation>;

export const invitationCreate = z
  .strictObject({
    email,
    role: organisationRole.default('USER'),
    teamIds: z
      .array(id)
      .max(MAX_TEAMS)
      .default([])
      .meta({ description: 'Teams to join; a MANAGER manages them.' }),
    organisationId: id
      .optional()
      .meta({ description: "Absent: the caller's own organisation. Required for platform users." }),
    expiresInDays: z.int().min(1).max(MAX_DAYS).default(7),
  })
  .meta({ id: 'InvitationCreate' });
export type InvitationCreate = z.output<typeof invitationCreate>;

/** What the holder of a link may see before accepting. */
export const openInvitation = z
  .object({
    email: z.string(),
    role: organisationRole,
    organisationName: z.string(),
    expiresAt: instant,
  })
  .meta({ id: 'OpenInvitation' });
export type OpenInvitation = z.output<typeof openInvitation>;

const tag = 'Invitations';
const listPath = '/api/invitations';
const onePath = '/api/invitations/:invitationId';

export const listInvitations = endpoint({
  id: 'listInvitations',
  tag,
  summary: 'Invitations of your organisation; for platform users, of all organisations',
  method: 'GET',
  path: listPath,
  access: 'invitations.read',
  query: listQuery(['createdAt', 'email'], {
    search,
    status: z.enum(INVITATION_STATUSES).optional(),
    organisationId: id.optional(),
  }),
  response: page(invitation),
});

export const createInvitation = endpoint({
  id: 'createInvitation',
  tag,
  summary: 'Invite a person to an organisation, by mail or by the link in the response',
  method: 'POST',
  path: listPath,
  access: 'invitations.write',
  body: invitationCreate,
  response: sentInvitation,
  status: 201,
  secret: true,
});

export const getInvitation = endpoint({
  id: 'getInvitation',
  tag,
  summary: 'One invitation with the state of its mail',
  method: 'GET',
  path: onePath,
  access: 'invitations.read',
  response: invitation,
});

export const resendInvitation = endpoint({
  id: 'resendInvitation',
  tag,
  summary: 'Resend a pending or expired invitation with a new link; the old link becomes invalid',
  method: 'POST',
  path: `${onePath}/resend`,
  access: 'invitations.write',
  response: sentInvitation,
  secret: true,
});

export const revokeInvitation = endpoint({
  id: 'revokeInvitation',
  tag,
  summary: 'Revoke an invitation',
  method: 'POST',
  path: `${onePath}/revoke`,
  access: 'invitations.write',
  response: invitation,
});

export const lookUpInvitation = endpoint({
  id: 'lookUpInvitation',
  tag,
  summary: 'The invitation behind a link',
  method: 'POST',
  path: '/api/invitations/look-up',
  access: 'public',
  body: z.strictObject({ token: linkToken }).meta({ id: 'InvitationToken' }),
  response: openInvitation,
});

export const acceptInvitation = endpoint({
  id: 'acceptInvitation',
  tag,
  summary: 'Accept an invitation with a name and a password; then sign in',
  method: 'POST',
  path: '/api/invitations/accept',
  access: 'public',
  body: z.strictObject({ token: linkToken, name, password }).meta({ id: 'InvitationAccept' }),
  response: z.object({ email: z.string() }).meta({ id: 'AcceptedInvitation' }),
});
