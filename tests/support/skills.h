/* SPDX-License-Identifier: MIT
 *
 * skills.h - scripts of fake servers with skills.
 */
#ifndef TESTS_SUPPORT_SKILLS_H
#define TESTS_SUPPORT_SKILLS_H

#define SKILLS                                                                     \
    "era modern\ncapabilities {\"tools\":{},\"resources\":{\"listChanged\":true}," \
    "\"extensions\":{\"io.modelcontextprotocol/skills\":{\"directoryRead\":true}}}\n"
#define SKILL(name, resources)                                                 \
    "{\"uri\":\"skill://" name "/SKILL.md\",\"frontmatter\":{\"name\":\"" name \
    "\",\"description\":\"what \\u00e4 "                                       \
    "is\",\"license\":\"MIT\"},\"resources\":" resources "}"
/* A skill with two files.  The digests are the SHA-256 of "---\nname: one\ndescription:
 * what \u00e4 is\nlicense: MIT\n---\n" and of "abc". */
#define ONE                                                                             \
    SKILL("one", "[{\"uri\":\"skill://one/SKILL.md\",\"digest\":\"sha256:" ONE_DIGEST   \
                 "\",\"size\":55},{\"uri\":\"skill://one/a/b.md\",\"digest\":\"sha256:" \
                 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\","  \
                 "\"size\":3}]")
#define ONE_DIGEST "ad04295a2cf116216b27c2c25ca4760c170aaf1a935ab5ba81214cff98b3e277"
#define ONE_TEXT   "---\\nname: one\\ndescription: what \\u00e4 is\\nlicense: MIT\\n---\\n"
#define LIST(skills)                                                    \
    "on skills/list\n result {\"resultType\":\"complete\",\"ttlMs\":0," \
    "\"cacheScope\":\"private\",\"skills\":[" skills "]}\n"
#define READ(uri, member)                                                  \
    "on resources/read\n result {\"resultType\":\"complete\",\"ttlMs\":0," \
    "\"cacheScope\":\"private\",\"contents\":[{\"uri\":\"" uri "\"," member "}]}\n"

#endif
