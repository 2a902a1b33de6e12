import { ROLES, type Role } from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
} from 'typeorm';

import { oneOf } from '../db/columns';
import { MailOutbox } from './mail-outbox.entity';
import { Organisation } from './organisation.entity';
import { User } from './user.entity';

export const INVITATION_STATUSES = ['PENDING', 'ACCEPTED', 'REVOKED'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

/** An offer of membership. Only the token's hash is stored. An expired invitation stays PENDING. */
@Entity('organisation_invitation')
@Unique(['tokenSha256'])
@Index(['organisationId', 'createdAt'])
@Index(['email'])
@Index(['mailId'])
@Index('organisation_invitation_open_key', ['organisationId', 'email'], {
  unique: true,
  where: `status = 'PENDING'`,
})
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@ForeignKey(() => MailOutbox, ['mailId'], ['id'], { onDelete: 'SET NULL' })
@ForeignKey(() => User, ['invitedBy'], ['id'])
@Check('organisation_invitation_email_check', 'email = lower(email)')
@Check(
  'organisation_invitation_role_check',
  oneOf(
    'role',
    ROLES.filter((role) => role !== 'SUPER_ADMIN'),
  ),
)
@Check('organisation_invitation_status_check', oneOf('status', INVITATION_STATUSES))
export class OrganisationInvitation {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid')
  organisationId!: string;

  @Column('text')
  email!: string;

  @Column('text')
  role!: Exclude<Role, 'SUPER_ADMIN'>;

  /** Teams to join; those archived before acceptance are skipped. */
  @Column('uuid', { array: true, default: [] })
  teamIds!: string[];

  @Column('bytea')
  tokenSha256!: Buffer;

  @Column('text', { default: 'PENDING' })
  status!: InvitationStatus;

  @Column('uuid')
  invitedBy!: string;

  @Column('timestamptz')
  expiresAt!: Date;

  @Column('timestamptz', { nullable: true })
  acceptedAt!: Date | null;

  /** Null when the link was shown instead of mailed. */
  @Column('uuid', { nullable: true })
  mailId!: string | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
