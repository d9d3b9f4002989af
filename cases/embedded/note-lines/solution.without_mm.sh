set -eu
count() { find "$1" -type f \( -iname '*.md' -o -iname '*.txt' \) -exec cat {} + | wc -l; }
find Notes Projects -type f \( -iname '*.md' -o -iname '*.txt' \) -printf x | wc -c
echo "files"
notes=$(count Notes)
projects=$(count Projects)
echo "$((notes + projects)) lines"
echo "$((notes > projects ? notes : projects)) of them in the larger folder"
