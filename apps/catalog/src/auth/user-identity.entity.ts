import {
  Column,
  CreateDateColumn,
  Entity,
  ForeignKey,
  Index,
  PrimaryColumn,
  Unique,
} from 'typeorm';

import { User } from '../entities/user.entity';

/** Links a user to an identity provider's subject, which stays when the email address changes. */
@Entity('user_identity')
@Unique(['issuer', 'userId'])
@Index(['userId'])
@ForeignKey(() => User, ['userId'], ['id'], { onDelete: 'CASCADE' })
export class UserIdentity {
  @PrimaryColumn('text')
  issuer!: string;

  @PrimaryColumn('text')
  subject!: string;

  @Column('uuid')
  userId!: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt!: Date;
}
