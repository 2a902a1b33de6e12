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
import { oneOf } from '../../db/columns';
import { Team } from '../teams/team.entity';
import { User } from '../users/user.entity';
import { Organisation } from './organisation.entity';

export const INVITATION_STATUSES = ['PENDING', 'ACCEPTED', 'REVOKED'] as const;
export type InvitationStatus = (typeof INVITATION_STATUSES)[number];

/** An offer of membership. Only the token's hash is kept; an expired one stays PENDING. */
@Entity('organisation_invitation')
@Unique(['tokenSha256'])
@Index(['organisationId', 'createdAt'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@ForeignKey(() => Team, ['organisationId', 'teamId'], ['organisationId', 'id'])
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

  @Column('uuid', { nullable: true })
  teamId!: string | null;

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

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
