import { ROLES, type Role } from '@tollgate/contracts';
import {
  Check,
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  PrimaryColumn,
  Unique,
  UpdateDateColumn,
} from 'typeorm';

import { oneOf } from '../db/columns';
import { Organisation } from './organisation.entity';

export const USER_STATUSES = ['ACTIVE', 'DISABLED'] as const;
export type UserStatus = (typeof USER_STATUSES)[number];

/** A person who signs in. Not named `user`, which is reserved in SQL. */
@Entity('user_account')
@Unique(['email'])
@Unique(['organisationId', 'id'])
@ForeignKey(() => Organisation, ['organisationId'], ['id'])
@Check('user_account_email_check', 'email = lower(email)')
@Check('user_account_role_check', oneOf('role', ROLES))
@Check('user_account_status_check', oneOf('status', USER_STATUSES))
@Check('user_account_organisation_check', `role = 'SUPER_ADMIN' OR organisation_id IS NOT NULL`)
export class User {
  @PrimaryColumn('uuid')
  id!: string;

  /** Null for a super admin, who belongs to no tenant. */
  @Column('uuid', { nullable: true })
  organisationId!: string | null;

  /** In lower case, so that an address is unique regardless of case. */
  @Column('text')
  email!: string;

  @Column('text')
  name!: string;

  @Column('text')
  role!: Role;

  @Column('text', { default: 'ACTIVE' })
  status!: UserStatus;

  /** Argon2id; null when the user has no password. */
  @Column('text', { nullable: true })
  passwordHash!: string | null;

  @Column('timestamptz', { nullable: true })
  lastLoginAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;

  @UpdateDateColumn({ type: 'timestamptz' })
  updatedAt!: Date;
}
